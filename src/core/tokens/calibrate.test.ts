import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LogBuilder } from '../view/testing.ts';
import { calibrated, type Sample, samplesOf } from './calibrate.ts';
import { eventTokens } from './event-tokens.ts';

/** A session in which the provider counts `factor` tokens for one of ours, and something at the start. */
function session(turns: number, factor: number, more: (log: LogBuilder, turn: number) => void = () => {}): LogBuilder {
  const log = new LogBuilder();
  let size = 9_000;
  const said = (seq: number): void => {
    size += Math.round(eventTokens(log.events[seq]!) * factor);
  };
  for (let turn = 0; turn < turns; turn++) {
    said(log.user(`Prompt ${turn}: ${`please look at file number ${turn} and at all its neighbours. `.repeat(60)}`));
    more(log, turn);
    const usage = { input: 10, cache_read: size - 10, output: 5 };
    said(
      log.assistant(
        `r${turn}`,
        `Answer ${turn}: ${'it was changed and the tests are green again. '.repeat(40)}`,
        undefined,
        { usage },
      ),
    );
  }
  return log;
}

describe('calibration', () => {
  it('finds what the provider counts for a token of ours', () => {
    for (const factor of [0.9, 1.07, 1.4]) {
      const scale = calibrated(samplesOf(session(40, factor).events));
      expect(scale?.factor).toBeCloseTo(factor, 1);
      expect(scale?.margin).toBeLessThan(0.1);
      expect(scale?.basis).toBe('calibrated on 39 logged requests');
    }
  });

  it('passes over stretches with what it cannot see the size of', () => {
    const dirty = session(40, 1.2, (log, turn) => {
      if (turn % 2 === 0) log.thinking(`t${turn}`, undefined);
    });
    expect(samplesOf(dirty.events).length).toBeLessThan(25);
    const images = session(40, 1.2, (log) =>
      log.event('message.user', {
        via: 'prompt',
        content: [{ kind: 'image', media_type: 'image/png', artifact: 'a', bytes: 1 }],
      }),
    );
    expect(samplesOf(images.events)).toEqual([]);
  });

  it('says nothing where there is too little, or the counts make no sense', () => {
    expect(calibrated(samplesOf(session(10, 1.2).events))).toBeNull();
    expect(calibrated(samplesOf(session(40, 9).events))).toBeNull();
    const wild = Array.from({ length: 50 }, (_, i): Sample => ({ counted: 1000 * (1 + (i % 7)), estimated: 1000 }));
    expect(calibrated(wild)).toBeNull();
    expect(samplesOf(new LogBuilder().events)).toEqual([]);
  });

  it('never throws and never gives a factor out of reach, whatever usage says', () => {
    const usage = fc.record({ input: fc.oneof(fc.integer(), fc.constant(Number.NaN)), cache_read: fc.nat(2_000_000) });
    fc.assert(
      fc.property(fc.array(usage, { maxLength: 60 }), (all) => {
        const log = new LogBuilder();
        for (const [turn, one] of all.entries()) {
          log.user('word '.repeat(500));
          log.assistant(`r${turn}`, 'yes '.repeat(100), undefined, { usage: one });
        }
        const scale = calibrated(samplesOf(log.events));
        if (scale !== null) expect(scale.factor > 0.69 && scale.factor < 2.51).toBe(true);
      }),
    );
  });
});
