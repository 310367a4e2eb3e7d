import type { AgentId } from '../../../shared/agents.ts';

/** Marks of the agents: a solid shape and one letter, so that they can be told apart without colour. Our own, no logos. */
const SHAPES: Record<AgentId, [shape: string, letter: string]> = {
  claude: ['<rect x="1" y="1" width="14" height="14" rx="3.5"/>', 'C'],
  codex: ['<path d="M8 .8 14.4 4.4v7.2L8 15.2 1.6 11.6V4.4z"/>', 'X'],
  pi: ['<circle cx="8" cy="8" r="7.2"/>', 'π'],
  hermes: ['<path d="M1.4 1.4h13.2v6.4L8 15.2 1.4 7.8z"/>', 'H'],
  opencode: ['<path d="M1 1h14v14H1z"/>', 'O'],
  gemini: ['<path d="M8 .4 15.6 8 8 15.6.4 8z"/>', 'G'],
  cursor: ['<path d="M8 1 15 15H1z"/>', '·'],
  aider: ['<rect x="1" y="3" width="14" height="10" rx="5"/>', 'A'],
};

/** The mark beside a title; nothing for an agent that has none. The name stands beside it, so it is not read out. */
export function markHtml(agent: string): string {
  const known = SHAPES[agent as AgentId];
  if (known === undefined) return '';
  const [shape, letter] = known;
  return `<svg class="mark ag-${agent}" viewBox="0 0 16 16" aria-hidden="true">${shape}<text x="8" y="11.2">${letter}</text></svg>`;
}
