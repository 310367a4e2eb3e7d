import { CSPProvider } from '@base-ui/react/csp-provider';
import { Tooltip } from '@base-ui/react/tooltip';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useState } from 'react';
import type { Client } from './client.ts';
import { ClientContext } from './client-context.ts';
import { createQueryClient } from './queries.ts';
import { createAppRouter } from './router.tsx';

/** The app on a client. The page's CSP allows no inline style elements, so Base UI is told to write none. */
export function App({ client }: { client: Client }) {
  const [queryClient] = useState(createQueryClient);
  const [router] = useState(createAppRouter);
  return (
    <CSPProvider disableStyleElements>
      <ClientContext value={client}>
        <QueryClientProvider client={queryClient}>
          <Tooltip.Provider delay={600}>
            <RouterProvider router={router} />
          </Tooltip.Provider>
        </QueryClientProvider>
      </ClientContext>
    </CSPProvider>
  );
}
