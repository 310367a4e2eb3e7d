import { beforeEach, describe, expect, it } from 'vitest';
import { closeTab, markRead, markUnread, showTab, useView } from './view-state.ts';

const tabs = () => useView.getState().tabs;

describe('tabs', () => {
  beforeEach(() => useView.setState({ tabs: [] }));

  it('replaces the shown tab, so that browsing does not pile up tabs', () => {
    showTab('a', null);
    showTab('b', 'a');
    expect(tabs()).toEqual(['b']);
  });

  it('goes to the tab a session has already', () => {
    showTab('a', null);
    showTab('b', null);
    showTab('a', 'b');
    expect(tabs()).toEqual(['a', 'b']);
  });

  it('shows the neighbour when one is closed, and nothing after the last', () => {
    for (const id of ['a', 'b', 'c']) showTab(id, null);
    expect(closeTab('b')).toBe('c');
    expect(closeTab('c')).toBe('a');
    expect(closeTab('a')).toBeNull();
  });
});

describe('unread', () => {
  it('is marked once and taken away when looked at', () => {
    markUnread('a');
    const first = useView.getState().unread;
    markUnread('a');
    expect(useView.getState().unread).toBe(first);
    markRead('a');
    expect(useView.getState().unread.size).toBe(0);
  });
});
