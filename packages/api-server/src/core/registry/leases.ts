import type { Lease } from "@rollcall/api"
import type { KindOptions } from "./KindDefinition.ts"

/** Both belong to coordinated leader election, which is off. */
const withoutStrategy = (lease: Lease): Lease => {
  const { spec } = lease
  if (spec === undefined || (spec.strategy === undefined && spec.preferredHolder === undefined)) return lease
  const { preferredHolder: _preferredHolder, strategy: _strategy, ...rest } = spec
  return { ...lease, spec: rest }
}

/** Upstream: pkg/registry/coordination/lease/strategy.go. */
export const leases: KindOptions<Lease> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  // Thousands of heartbeats a second, and hardly anybody who resumes a watch of them: long history would only be memory.
  history: 1024,
  strategy: {
    prepareForCreate: withoutStrategy,
    prepareForUpdate: withoutStrategy,
    isRenewal: ({ spec }, stored) => spec?.renewTime !== stored.spec?.renewTime && spec?.strategy === undefined
  }
}
