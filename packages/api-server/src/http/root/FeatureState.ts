/** A feature gate, as `kubernetes_feature_enabled` reports it. */
export interface FeatureState {
  readonly name: string
  /** `ALPHA`, `BETA`, `DEPRECATED`; empty if it is generally available. */
  readonly stage: string
  readonly isEnabled: boolean
}
