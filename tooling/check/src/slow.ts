const live = [
  "mistakes",
  "attacks",
  "waiting",
  "outage",
  "linux",
  "kubectl",
  "up",
  "kill",
  "several",
  "layers",
  "damage",
  "crowd",
  "stats",
  "sessions"
]

/**
 * Test files that take longest, the longest first. vitest runs them in this order before all others, so that no processor waits for one of them
 * at the end; `pnpm check` leaves them to `npm test` unless the change is in their own package.
 */
export const slow: ReadonlyArray<string> = [
  "tooling/transcripts/test/transcripts.test.ts",
  "tooling/release/test/packages.test.ts",
  "apps/cli/test/main.test.ts",
  "tooling/laws/test/laws.test.ts",
  "tooling/transcripts/test/command.test.ts",
  "packages/store-sqlite/test/SqliteStore.test.ts",
  "packages/store-sqlite/test/lost.test.ts",
  "tooling/site/test/site.test.ts",
  "tooling/house/test/layers.test.ts",
  "packages/store-sqlite/test/crash.test.ts",
  "tooling/release/test/executable.test.ts",
  ...live.map((name) => `tooling/live/test/${name}.test.ts`)
]
