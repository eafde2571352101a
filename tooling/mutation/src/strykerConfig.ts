import type { Target } from "./targets.ts"

/** The folder of the copies that Stryker mutates: two levels below the root, like a package, so that their relative paths resolve. */
const SANDBOX_FOLDER = "../../.mutation"

/**
 * A mutant times out after the duration of the tests without a mutant times the factor, plus this time: long enough that a busy machine is
 * not taken for an endless loop.
 */
const TIMEOUT_MS = 5000
const TIMEOUT_FACTOR = 1.25

/** The files of one run of Stryker. */
export interface Paths {
  /** Stryker's runner of vitest. */
  readonly plugin: string
  /** Where to write the report. */
  readonly report: string
  readonly vitestConfig: string
}

/**
 * Returns Stryker's configuration for a package, to run in the package's folder. TypeScript 7 has no API with which Stryker could rewrite a
 * tsconfig: the configuration names one that does not exist. Static mutants, which would need a process each, are left out
 * (`ignoreStatic`).
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
  tempDirName: SANDBOX_FOLDER,
  reporters: ["json", "progress-append-only"],
  jsonReporter: { fileName: report },
  allowConsoleColors: false,
  vitest: { related: false, configFile: vitestConfig }
})
