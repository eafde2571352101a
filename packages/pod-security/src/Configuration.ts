import type { Policy } from "./Policy.ts"

/** The requests that are not evaluated. */
export interface Exemptions {
  /** Of these users. */
  readonly usernames: ReadonlyArray<string>
  /** In these namespaces. */
  readonly namespaces: ReadonlyArray<string>
  /** For pods of these runtime classes. */
  readonly runtimeClasses: ReadonlyArray<string>
}

/** A PodSecurityConfiguration of the group pod-security.admission.config.k8s.io. */
export interface Configuration {
  /** The policy of namespaces without labels. */
  readonly defaults: Policy
  readonly exemptions: Exemptions
}

export const noExemptions: Exemptions = { usernames: [], namespaces: [], runtimeClasses: [] }
