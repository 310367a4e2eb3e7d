/** One measured number against its bar. */
export interface Figure {
  name: string;
  value: number;
  unit: 's' | 'ms' | 'MB' | '×' | '%' | 'points' | 'cases';
  /** the floor of the same run, where the bar is a ratio */
  floor: number | null;
  ratio: number | null;
  /** largest ratio (where there is a floor) or value that meets the bar; null = no bar, shown only */
  bar: number | null;
  met: boolean | null;
  /** how it was measured, spread and CPU time included */
  note: string;
}

/** A figure whose bar is its value. */
export function absolute(name: string, value: number, unit: Figure['unit'], bar: number | null, note: string): Figure {
  return {
    name,
    value: rounded(value),
    unit,
    floor: null,
    ratio: null,
    bar,
    met: bar === null ? null : value <= bar,
    note,
  };
}

/** A share, in per cent, that has to reach its bar. */
export function atLeast(name: string, value: number, bar: number | null, note: string): Figure {
  const figure = absolute(name, value, '%', bar, note);
  return { ...figure, met: bar === null ? null : value >= bar };
}

/** By how many points of a hundred one share is above another; it has to be above. */
export function ahead(name: string, points: number, note: string): Figure {
  return { ...absolute(name, points, 'points', 0, note), met: points > 0 };
}

/** A figure whose bar is its ratio to a floor. */
export function relative(
  name: string,
  value: number,
  unit: Figure['unit'],
  floor: number,
  ratio: number,
  bar: number,
  note: string,
): Figure {
  return {
    name,
    value: rounded(value),
    unit,
    floor: rounded(floor),
    ratio: rounded(ratio),
    bar,
    met: ratio <= bar,
    note,
  };
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

export function asLine(figure: Figure): string {
  const bar = figure.bar === null ? '' : `bar ${figure.bar}${figure.ratio === null ? ` ${figure.unit}` : ' ×'}`;
  const verdict = figure.met === null ? '' : figure.met ? 'met' : `missed by ${missedBy(figure)}`;
  const ratio = figure.ratio === null ? '' : `${figure.ratio} × floor ${figure.floor} ${figure.unit}`;
  const columns = [
    figure.name.padEnd(34),
    `${figure.value} ${figure.unit}`.padEnd(12),
    ratio.padEnd(26),
    bar.padEnd(12),
    verdict,
  ];
  return `${columns.join(' ').trimEnd()}\n${' '.repeat(35)}${figure.note}`;
}

function missedBy({ ratio, value, bar, unit }: Figure): string {
  if (bar === 0) return `${value} ${unit}`;
  return `${Math.round(((ratio ?? value) / (bar as number) - 1) * 100)} %`;
}
