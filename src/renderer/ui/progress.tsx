/** A bar of 4 px for a running job; nothing loops. */
export function Progress({ label, done, total }: { label: string; done: number; total: number }) {
  const share = total > 0 ? Math.min(1, done / total) : 0;
  return (
    <div
      className="prog"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={done}
    >
      <i style={{ width: `${share * 100}%` }} />
    </div>
  );
}
