import type { Command, Flags } from "@rollcall/flags"

/** The command line of one of Kubernetes' programs, or of Rollcall's own. */
export interface Program<T extends Flags = Flags> extends Command<T> {
  /** As pages and logs name it: `kube-apiserver`. */
  readonly name: string
}

/** What all of Kubernetes' components have in common: names of flags may have underscores, and these flags are shown last. */
export const componentGrammar = { underscores: true, global: ["logging-format", "release", "v"] } as const
