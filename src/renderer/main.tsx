import './styles/index.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { connect } from './app/client.ts';
import { startTheme } from './app/theme.ts';

const root = document.getElementById('root');
if (root) {
  startTheme();
  createRoot(root).render(<App client={connect()} />);
}
