import type { Target } from "./targets.ts"

/** Two levels below the root as a package is, so that what a sandbox names by relative paths is found. */
const SANDBOXES = "../../.mutation"

/** Beyond the time that the tests take without a mutant: long enough that a busy machine is not taken for a loop without end. */
const TIMEOUT_MS = 5000
const TIMEOUT_FACTOR = 1.25

export interface Paths {
  /** Stryker's runner of vitest. */
  readonly plugin: string
  /** Where to write the report. */
  readonly report: string
  readonly vitestConfig: string
}

/**
 * Stryker's configuration for a package, run from the package's folder. TypeScript 7 has no API, by which Stryker would rewrite a tsconfig:
 * it is told of one that is not there. What is computed once at load (`ignoreStatic`) needs a process for each mutant, and is left out.
 */
export const strykerConfig = ({ mutate }: Target, { plugin, report, vitestConfig }: Paths) => ({
  testRunner: "vitest",
  plugins: [plugin],
  tsconfigFile: "none.json",
  mutate,
  concurrency: 1,
  coverageAnalysis: "perTest",
  ignoreStatic: true,
  disableTypeChecks: false,
  checkers: [],
  timeoutMS: TIMEOUT_MS,
  timeoutFactor: TIMEOUT_FACTOR,
  tempDirName: SANDBOXES,
  reporters: ["json", "progress-append-only"],
  jsonReporter: { fileName: report },
  allowConsoleColors: false,
  vitest: { related: false, configFile: vitestConfig }
})
