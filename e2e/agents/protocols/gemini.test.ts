import { describe, expect, it } from 'vitest';
import { geminiItems } from './gemini.ts';

const response = (id: string) => ({ functionResponse: { id, name: 'ls', response: { output: 'a' } } });
const picture = { inlineData: { mimeType: 'image/png', data: 'AAAA' } };

describe('a request of Gemini CLI', () => {
  it('has each response once with the picture behind it, though a resume sends both again', () => {
    const contents = [
      { role: 'user', parts: [{ text: 'Look' }, picture] },
      { role: 'model', parts: [{ functionCall: { id: '1', name: 'ls', args: {} } }] },
      { role: 'user', parts: [response('1'), picture, response('1'), picture] },
    ];
    const items = geminiItems({ contents });
    expect(items.map(({ kind }) => kind)).toEqual(['text', 'image', 'call', 'result']);
    expect(items.at(-1)).toMatchObject({ id: '1', text: 'a', images: [expect.any(String)] });
  });
});
