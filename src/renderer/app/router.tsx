import { createHashHistory, createRootRoute, createRoute, createRouter, redirect } from '@tanstack/react-router';
import { FirstRun } from '../features/first-run/first-run.tsx';
import { Shell } from './shell.tsx';

interface Search {
  q?: string;
}

const root = createRootRoute({
  component: Shell,
  validateSearch: (search: Record<string, unknown>): Search =>
    typeof search.q === 'string' && search.q !== '' ? { q: search.q } : {},
  notFoundComponent: () => null,
});
const nothing = () => null;

const routeTree = root.addChildren([
  createRoute({
    getParentRoute: () => root,
    path: '/',
    beforeLoad: () => {
      throw redirect({ to: '/sessions' });
    },
  }),
  // The shell draws what the path says, so that list and inspector stay as they are from one session to the next.
  createRoute({ getParentRoute: () => root, path: '/sessions', component: nothing }),
  createRoute({ getParentRoute: () => root, path: '/s/$sessionId', component: nothing }),
  createRoute({ getParentRoute: () => root, path: '/s/$sessionId/e/$seq', component: nothing }),
  createRoute({ getParentRoute: () => root, path: '/graph', component: nothing }),
  createRoute({ getParentRoute: () => root, path: '/graph/$graphId', component: nothing }),
  createRoute({ getParentRoute: () => root, path: '/receipts', component: nothing }),
  createRoute({ getParentRoute: () => root, path: '/receipts/$receiptId', component: nothing }),
  createRoute({ getParentRoute: () => root, path: '/welcome', component: FirstRun }),
]);

/** Routes in the hash: the same in Electron and in a browser, without a server that knows them. */
export const createAppRouter = () => createRouter({ routeTree, history: createHashHistory() });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
