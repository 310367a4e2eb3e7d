/** A path that is cut before its last part, which is the telling one. The whole is in the tooltip. */
export function Path({ path, className = '' }: { path: string; className?: string }) {
  const at = path.lastIndexOf('/', path.length - 2);
  return (
    <span className={`mono cut-mid ${className}`} title={path}>
      <span>{path.slice(0, at + 1)}</span>
      <span>{path.slice(at + 1)}</span>
    </span>
  );
}

/** A path in a list of files: the folders quiet, the name plain. */
export function FilePath({ path }: { path: string }) {
  const at = path.lastIndexOf('/', path.length - 2);
  return (
    <span className="cut-mid" title={path}>
      <span className="text-tx-3">{path.slice(0, at + 1)}</span>
      <span>{path.slice(at + 1)}</span>
    </span>
  );
}
