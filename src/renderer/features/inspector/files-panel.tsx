import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { VList } from 'virtua';
import { useClient } from '../../app/client-context.ts';
import { queries } from '../../app/queries.ts';
import { showEvent } from '../../app/view-state.ts';
import { t } from '../../i18n/t.ts';
import { Icon } from '../../ui/icon.tsx';
import { FilePath } from '../../ui/path.tsx';

/** Every file the session read or changed; a row opens the last event about it. */
export function FilesPanel({ id }: { id: string }) {
  const { data: files, isPending } = useQuery(queries.files(useClient(), id));
  const list = useRef<HTMLDivElement>(null);
  if (isPending) return null;
  if (!files || files.length === 0) return <p className="p-3 text-12 text-tx-3">{t.inspector.noFiles}</p>;
  return (
    <div ref={list} className="h-full py-2">
      <VList data={files}>
        {(file) => (
          <button
            key={file.path}
            type="button"
            className="frow in w-full px-3 text-start hover:bg-hover"
            onClick={() => showEvent(file.last_seq)}
          >
            <Icon name={file.edits > 0 ? 'edit' : 'read'} size={14} tone="quiet" />
            <FilePath path={file.path} />
            <span className="fill" />
            <span className="cnt">
              {[
                file.edits > 0 ? t.inspector.edits(file.edits) : '',
                file.reads > 0 ? t.inspector.reads(file.reads) : '',
              ]
                .filter(Boolean)
                .join(', ')}
            </span>
          </button>
        )}
      </VList>
    </div>
  );
}
