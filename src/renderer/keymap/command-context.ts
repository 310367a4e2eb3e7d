import { createContext, use } from 'react';
import type { Command } from './commands.ts';

export const CommandContext = createContext<readonly Command[]>([]);

/** Every command of the app; menus, palette and the `?` sheet draw from it. */
export const useCommands = (): readonly Command[] => use(CommandContext);
