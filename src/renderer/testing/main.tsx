import '../styles/index.css';
import { createRoot } from 'react-dom/client';
import { App } from '../app/app.tsx';
import { clientOf } from '../app/client.ts';
import { startTheme } from '../app/theme.ts';
import { createFakeBridge, type FakeBridge } from './fake-bridge.ts';

declare global {
  interface Window {
    fake?: FakeBridge;
  }
}

/** The app on the fake engine, for development and screenshots: `?first`, `?sessions=0`, `?failAt=readback`, … */
const params = new URLSearchParams(window.location.search);
const number = (name: string): Record<string, number> => (params.has(name) ? { [name]: Number(params.get(name)) } : {});

const theme = params.get('theme');
if (theme) localStorage.setItem('sessionctl.theme', theme);
startTheme();
window.fake = createFakeBridge({
  initialised: !params.has('first'),
  tooLong: params.has('tooLong'),
  locked: params.has('locked'),
  ...number('sessions'),
  ...number('rows'),
  ...number('receipts'),
  ...number('pace'),
  ...(params.has('failAt') ? { failAt: params.get('failAt') ?? '' } : {}),
});
const root = document.getElementById('root');
if (root) createRoot(root).render(<App client={clientOf(window.fake)} />);
