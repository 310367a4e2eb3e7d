import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { showTab } from './view-state.ts';

/** Opens a session, in place of the open one or in a tab of its own; the search stays as it is. */
export function useOpenSession(openId: string | null): (id: string, inNewTab?: boolean) => void {
  const navigate = useNavigate();
  return useCallback(
    (id, inNewTab = false) => {
      showTab(id, inNewTab ? null : openId);
      void navigate({ to: '/s/$sessionId', params: { sessionId: id }, search: true });
    },
    [navigate, openId],
  );
}
