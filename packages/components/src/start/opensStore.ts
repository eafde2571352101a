/** The programs that open a SQLite store by default. */
const PROGRAMS = /^(apiserver|up)$/
/** Flags by which they open none, or perhaps another store. */
const OTHERWISE = /^(-h|--(help|version|etcd-servers|layers)\b)/

/** Whether a command line opens a SQLite store as far as its first look tells. */
export const opensStore = ([program = "", ...flags]: ReadonlyArray<string>): boolean =>
  PROGRAMS.test(program) && !flags.some((flag) => OTHERWISE.test(flag))
