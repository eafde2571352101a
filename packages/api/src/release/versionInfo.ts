/** The content of `/version`. Upstream: apimachinery/pkg/version, Info. */
export interface VersionInfo {
  readonly major: string
  readonly minor: string
  readonly emulationMajor: string
  readonly emulationMinor: string
  readonly minCompatibilityMajor: string
  readonly minCompatibilityMinor: string
  readonly gitVersion: string
  readonly gitCommit: string
  readonly gitTreeState: string
  readonly buildDate: string
  readonly goVersion: string
  readonly compiler: string
  readonly platform: string
}

/** Returns the version of an emulated release, `v1.36.2`: clients parse it as a semantic version. */
export const versionInfo = (release: string, platform = "linux/amd64"): VersionInfo => {
  const [, major = "1", minor = "0"] = /^v?(\d+)\.(\d+)/.exec(release) ?? []
  const full = /^v?\d+\.\d+\.\d+/.test(release) ? release.replace(/^v?/, "v") : `v${major}.${minor}.0`
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Math.max(0, Number(minor) - 1)),
    gitVersion: `${full}+rollcall`,
    gitCommit: "",
    gitTreeState: "",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: "",
    compiler: "node",
    platform
  }
}

/** The labels of `kubernetes_build_info`. Upstream: component-base/metrics/version.go. */
export const buildLabels = [
  "build_date",
  "compiler",
  "git_commit",
  "git_tree_state",
  "git_version",
  "go_version",
  "major",
  "minor",
  "platform"
] as const

/** Returns the values of those labels. */
export const buildLabelsOf = (version: VersionInfo): Readonly<Record<(typeof buildLabels)[number], string>> => ({
  build_date: version.buildDate,
  compiler: version.compiler,
  git_commit: version.gitCommit,
  git_tree_state: version.gitTreeState,
  git_version: version.gitVersion,
  go_version: version.goVersion,
  major: version.major,
  minor: version.minor,
  platform: version.platform
})
