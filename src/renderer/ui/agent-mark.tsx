import type { ReactNode } from 'react';
import { AGENT_LABELS, type AgentId } from '../../shared/agents.ts';

/** Own marks, no vendor logos: a solid shape plus one stroked letter, told apart by the shape alone at 12 px. */
const MARKS: Record<string, { label: string; shape: ReactNode; letter: string }> = {
  claude: {
    label: 'Claude Code',
    shape: <rect className="s" x="1" y="1" width="14" height="14" rx="4.5" />,
    letter: 'M10.6 5.6A3.4 3.4 0 1 0 10.6 10.4',
  },
  codex: {
    label: 'Codex',
    shape: <path className="s" d="M8 .6 14.4 4.3v7.4L8 15.4 1.6 11.7V4.3Z" />,
    letter: 'M5.6 5.2l4.8 5.6M10.4 5.2l-4.8 5.6',
  },
  pi: {
    label: 'Pi',
    shape: <circle className="s" cx="8" cy="8" r="7.2" />,
    letter: 'M4.6 5.8h6.8M6.4 5.8v5M9.7 5.8v3.7c0 .9.4 1.3 1.2 1.3',
  },
  hermes: {
    label: 'Hermes',
    shape: <path className="s" d="M1.4 1.4h13.2v7.2L8 15.2 1.4 8.6Z" />,
    letter: 'M5.7 3.9v6M10.3 3.9v6M5.7 6.9h4.6',
  },
  opencode: {
    label: 'OpenCode',
    shape: <rect className="s" x="1.2" y="1.2" width="13.6" height="13.6" rx="1" />,
    letter: 'M5.2 5.2h5.6v5.6H5.2Z',
  },
  gemini: {
    label: 'Gemini CLI',
    shape: <path className="s" d="M8 .4 15.6 8 8 15.6.4 8Z" />,
    letter: 'M10 6.3A2.6 2.6 0 1 0 10.5 8.4H8.4',
  },
  cursor: {
    label: 'Cursor',
    shape: <path className="s" d="M8 .6 15.6 6.2 12.7 15.2H3.3L.4 6.2Z" />,
    letter: 'M6.2 5h3.6M8 5v6.4M6.2 11.4h3.6',
  },
  aider: {
    label: 'Aider',
    shape: <path className="s" d="M4 1.4h11.6L12 14.6H.4Z" />,
    letter: 'M5.6 11 8 4.8 10.4 11M6.5 9h3',
  },
};

/** An agent without a mark of its own yet: a plain disc, so that it is never taken for another. */
const UNKNOWN = { shape: <circle className="s" cx="8" cy="8" r="5.5" />, letter: 'M6 8h4' };

/** The agent's name as people write it; an id that is not known is shown as it is. */
export const agentLabel = (agent: string): string => MARKS[agent]?.label ?? AGENT_LABELS[agent as AgentId] ?? agent;

/** The colour of an agent's mark and lanes. */
export const agentColor = (agent: string): string => (MARKS[agent] ? `var(--ag-${agent})` : 'var(--tx-3)');

interface AgentMarkProps {
  agent: string;
  size?: 12 | 14 | 16 | 20 | 24;
  /** true where the agent's name stands beside it */
  decorative?: boolean;
}

export function AgentMark({ agent, size = 16, decorative = false }: AgentMarkProps) {
  const known = MARKS[agent];
  const { shape, letter } = known ?? UNKNOWN;
  const classes = `m ${known ? `m-${agent}` : ''} ${size === 16 ? '' : `m${size}`}`;
  const parts = (
    <>
      {shape}
      <path className="l" d={letter} />
    </>
  );
  return decorative ? (
    <svg className={classes} viewBox="0 0 16 16" aria-hidden="true">
      {parts}
    </svg>
  ) : (
    <svg className={classes} viewBox="0 0 16 16" role="img" aria-label={agentLabel(agent)}>
      {parts}
    </svg>
  );
}
