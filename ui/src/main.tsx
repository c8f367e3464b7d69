// The page: providers around the router.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './design/tokens.css';
import './design/layout.css';
import './design/cells.css';
import './design/shell.css';
import { router } from './routes';
import { ApiError, askEarly } from './api/client';
import { reportErrors } from './api/report-errors';
import { fetchCodeAhead, keepInBrowser } from './shell/page-code';
import { applyStoredDensity } from './state/density';
import { nonce } from './state/nonce';
import { applyStoredTheme } from './state/theme';

reportErrors();
applyStoredTheme();
applyStoredDensity();
setNonce(nonce);
askEarly('/api/features');
// The largest answer of the page is on its way while the scripts that show it are loaded.
const [, execution] = /executions\/([\w-]+)\/?$/.exec(location.pathname) ?? [];
if (execution !== undefined) askEarly(`/api/workflow/${execution}/outline`);
fetchCodeAhead();
keepInBrowser();

const retriesMax = 2;
const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 1000,
      // A request that the server refuses for good is not repeated, nor one that the page itself
      // refuses.
      retry: (failures, error) =>
        failures < retriesMax &&
        error instanceof ApiError &&
        !(error.status >= 400 && error.status < 500),
    },
  },
});

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
