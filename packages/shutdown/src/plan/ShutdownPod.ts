/** What a plan reads of a pod, and the names by which to tell it. A Pod of `@rollcall/api` is one. */
export interface ShutdownPod {
  readonly metadata: {
    readonly name?: string
    readonly namespace?: string
    readonly deletionGracePeriodSeconds?: number
  }
  readonly spec: { readonly priority?: number; readonly terminationGracePeriodSeconds?: number }
  readonly status?: { readonly phase?: string }
}
