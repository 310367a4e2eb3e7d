import { formatCount } from '../../i18n/format.ts';
import { t } from '../../i18n/t.ts';
import { ChipButton, CounterChip } from '../../ui/chip.tsx';
import { Icon } from '../../ui/icon.tsx';
import { JUMP_KINDS, type JumpKind, type Jumps, placeAmong } from './jumps.ts';

interface JumpBarProps {
  jumps: Jumps;
  total: number;
  /** ordinal of the row the reader is at */
  at: number;
  /** which rows are shown alone; null shows all */
  only: JumpKind | null;
  onOnly(kind: JumpKind | null): void;
  onJump(kind: JumpKind, direction: 1 | -1): void;
}

/** All, prompts, tools, errors: each with the reader's place among them; the word shows these alone, the arrows jump. */
export function JumpBar({ jumps, total, at, only, onOnly, onJump }: JumpBarProps) {
  return (
    <div className="bar line" role="toolbar" aria-label={t.reader.jump}>
      <ChipButton on={only === null} aria-pressed={only === null} onClick={() => onOnly(null)}>
        {t.reader.all} {formatCount(total)}
      </ChipButton>
      {JUMP_KINDS.map((kind) => (
        <CounterChip
          key={kind}
          label={t.reader[kind]}
          at={placeAmong(jumps[kind], at)}
          total={jumps[kind].length}
          on={only === kind}
          icon={
            kind === 'errors' ? <Icon name="error" size={12} tone={jumps.errors.length > 0 ? 'bad' : 'quiet'} /> : null
          }
          names={{ previous: t.reader.previousOf[kind], next: t.reader.nextOf[kind] }}
          onToggle={() => onOnly(only === kind ? null : kind)}
          onJump={(direction) => onJump(kind, direction)}
        />
      ))}
    </div>
  );
}
