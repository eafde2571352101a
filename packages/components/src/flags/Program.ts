import type { Command, Flags } from "@rollcall/flags"

/** The command line of one of Kubernetes' programs, or of Rollcall's own. */
export interface Program<T extends Flags = Flags> extends Command<T> {
  /** The name in pages and logs: `kube-apiserver`. */
  readonly name: string
}

/** The grammar of all Kubernetes components: flag names may have underscores. Help shows the global flags last. */
export const componentGrammar = { underscores: true, global: ["logging-format", "release", "v"] } as const
