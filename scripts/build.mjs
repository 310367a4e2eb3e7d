// npm run build: installs when needed and builds what is out of date.
import { ensureBuilt, ensureInstalled } from './bootstrap.mjs';

ensureInstalled();
ensureBuilt();
