import { serveCaptures } from '../capture-service.ts';
import { fakeAdapter } from './fake-adapter.ts';

/** A capture worker that knows the agent of tests. */
serveCaptures({ claude: fakeAdapter });
