import { keyCaps } from '../keymap/keys.ts';

/** A key binding as key caps: "g s" is two caps, "Mod+K" is one. */
export function Keys({ binding }: { binding: string }) {
  return (
    <>
      {keyCaps(binding).map((cap) => (
        <kbd key={cap}>{cap}</kbd>
      ))}
    </>
  );
}
