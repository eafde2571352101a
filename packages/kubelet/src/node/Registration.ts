/** The API's answer to a request of the registration or lease loop, as far as these loops distinguish answers. */
export type Outcome = "ok" | "alreadyExists" | "notFound" | "conflict" | "forbidden" | "error"

/**
 * The state of the registration loop, which sleeps and then tries, until a try succeeds. It also sleeps before the
 * first try. Upstream: pkg/kubelet/kubelet_node_status.go registerWithAPIServer, tryRegisterWithAPIServer.
 */
export interface Registration {
  /** The duration of the last sleep. */
  readonly sleepMs: number
  /** The request whose answer is awaited. */
  readonly awaiting: "create" | "get" | "patchStatus"
}

/** What the driver does next. */
export type RegistrationAction =
  | { readonly type: "sleep"; readonly ms: number }
  | { readonly type: "create" | "get" | "patchStatus" | "registered" }

/** What to do next, and the state to pass back with the outcome. */
export interface RegistrationStep {
  readonly state: Registration
  readonly action: RegistrationAction
}

export interface RegistrationOptions {
  /** Feature gate KubeletRegistrationGetOnExistsOnly: whether a forbidden create fails the try, and no read follows. */
  readonly getOnExistsOnly: boolean
}

const FIRST_SLEEP_MS = 100
const MAX_SLEEP_MS = 7_000

const sleep = (ms: number): RegistrationStep => ({
  state: { sleepMs: ms, awaiting: "create" },
  action: { type: "sleep", ms }
})

/** The first step of a registration: a kubelet sleeps before its first try. */
export const beginRegistration: RegistrationStep = sleep(FIRST_SLEEP_MS)

/** Continues after a sleep. */
export const registrationSlept = (state: Registration): RegistrationStep => ({ state, action: { type: "create" } })

/** Continues after an answer. `needsUpdate` says that the Node that was read differs from the desired one. */
export const registrationAnswered = (
  state: Registration,
  outcome: Outcome,
  needsUpdate: boolean,
  options: RegistrationOptions
): RegistrationStep => {
  const { awaiting, sleepMs } = state
  const registered: RegistrationStep = { state, action: { type: "registered" } }
  if (outcome === "ok") {
    if (awaiting !== "get" || !needsUpdate) return registered
    return { state: { sleepMs, awaiting: "patchStatus" }, action: { type: "patchStatus" } }
  }
  // A node authorizer may forbid the creation of an existing Node, so a forbidden answer leads to a read too.
  const mayExist = outcome === "alreadyExists" || (outcome === "forbidden" && !options.getOnExistsOnly)
  if (awaiting === "create" && mayExist) return { state: { sleepMs, awaiting: "get" }, action: { type: "get" } }
  return sleep(Math.min(sleepMs * 2, MAX_SLEEP_MS))
}
