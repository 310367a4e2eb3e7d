import { createContext, use } from 'react';
import type { Client } from './client.ts';

export const ClientContext = createContext<Client | null>(null);

/** The connection to the engine. Every component stands under it. */
export function useClient(): Client {
  const client = use(ClientContext);
  if (!client) throw new Error('No client: the tree is not under ClientContext.');
  return client;
}
