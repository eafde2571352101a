/** A health check: `check` returns whether the server is healthy. */
export interface HealthCheck {
  readonly name: string
  /** The endpoints that run it; by default all three. */
  readonly endpoints?: ReadonlyArray<HealthEndpoint>
  readonly check: () => boolean
}

export type HealthEndpoint = "healthz" | "livez" | "readyz"
