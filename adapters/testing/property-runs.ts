/**
 * How many random runs a property gets, and from which seed, so that a failure comes again. `npm run properties` sets
 * PROPERTY_RUNS to 10,000; in `npm test` the usual number holds.
 */
export function propertyRuns(usual: number, seed: number): { numRuns: number; seed: number } {
  return { numRuns: Number(process.env.PROPERTY_RUNS ?? usual), seed };
}

/** How long a property may take: most are done in a hundredth of it. */
export const PROPERTY_MS = 60_000 + Number(process.env.PROPERTY_RUNS ?? 100) * 3000;
