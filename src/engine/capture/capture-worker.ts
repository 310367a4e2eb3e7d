import { adapters } from '../../../adapters/registry.ts';
import { serveCaptures } from './capture-service.ts';

/** Entry of a capture worker. */
serveCaptures(adapters);
