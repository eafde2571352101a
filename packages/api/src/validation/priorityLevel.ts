import { mandatoryPriorityLevels } from "../flowcontrol/bootstrap.ts"
import type {
  LimitedPriorityLevelConfiguration,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration
} from "../objects/FlowControl.ts"
import { ErrorList } from "./ErrorList.ts"
import { typed } from "./FieldError.ts"
import { validateConditions } from "./flowControlStatus.ts"
import { validateObjectMeta } from "./metadata.ts"
import { nameIsDNSSubdomain } from "./names.ts"
import { semanticEqual } from "./semanticEqual.ts"
import type { Validation } from "./Validation.ts"

/** Upstream: pkg/apis/flowcontrol/validation/validation.go, of PriorityLevelConfiguration. */

const MAX_QUEUES = 10_000_000
/** Upstream: apiserver/pkg/util/shufflesharding, MaxHashBits. */
const MAX_HASH_BITS = 60
/** Used only in v1beta3, which is not served. */
const roundTripAnnotation = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares"

const shownQueuing = ({ handSize = 0, queueLengthLimit = 0, queues = 0 }: QueuingConfiguration) => ({
  Queues: queues,
  HandSize: handSize,
  QueueLengthLimit: queueLengthLimit
})

/** Returns the spec as messages show it: as the server's internal type. */
const shownSpec = ({ exempt, limited, type }: PriorityLevelConfigurationSpec) => ({
  Type: type,
  Limited:
    limited === undefined
      ? null
      : {
          NominalConcurrencyShares: limited.nominalConcurrencyShares ?? 0,
          LimitResponse: {
            Type: limited.limitResponse?.type ?? "",
            Queuing: limited.limitResponse?.queuing === undefined ? null : shownQueuing(limited.limitResponse.queuing)
          },
          LendablePercent: limited.lendablePercent ?? null,
          BorrowingLimitPercent: limited.borrowingLimitPercent ?? null
        },
  Exempt:
    exempt === undefined
      ? null
      : {
          NominalConcurrencyShares: exempt.nominalConcurrencyShares ?? null,
          LendablePercent: exempt.lendablePercent ?? null
        }
})

const checkShares = (errors: ErrorList, value: number | undefined, path: string): void => {
  if (value !== undefined && value < 0) {
    errors.invalid(`${path}.nominalConcurrencyShares`, value, "must be a non-negative integer")
  }
}

const checkLendable = (errors: ErrorList, value: number | undefined, path: string): void => {
  if (value !== undefined && (value < 0 || value > 100)) {
    errors.invalid(`${path}.lendablePercent`, value, "must be between 0 and 100, inclusive")
  }
}

const checkQueuing = (errors: ErrorList, queuing: QueuingConfiguration, path: string): void => {
  const { handSize = 0, queueLengthLimit = 0, queues = 0 } = queuing
  if (queueLengthLimit <= 0) errors.invalid(`${path}.queueLengthLimit`, queueLengthLimit, "must be positive")
  if (queues <= 0) errors.invalid(`${path}.queues`, queues, "must be positive")
  else if (queues > MAX_QUEUES) errors.invalid(`${path}.queues`, queues, `must not be greater than ${MAX_QUEUES}`)
  const at = `${path}.handSize`
  if (handSize <= 0) errors.invalid(at, handSize, "must be positive")
  else if (handSize > queues) errors.invalid(at, handSize, `should not be greater than queues (${queues})`)
  else if (Math.ceil(Math.log2(queues) * handSize) > MAX_HASH_BITS) {
    const message = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${MAX_HASH_BITS}`
    errors.invalid(at, handSize, message)
  }
}

const checkLimited = (errors: ErrorList, limited: LimitedPriorityLevelConfiguration): void => {
  const path = "spec.limited"
  checkShares(errors, limited.nominalConcurrencyShares, path)
  const { queuing, type = "" } = limited.limitResponse ?? {}
  const at = `${path}.limitResponse`
  if (type === "Reject") {
    if (queuing !== undefined) {
      errors.forbidden(`${at}.queuing`, "must be nil if limited.limitResponse.type is not Limited")
    }
  } else if (type !== "Queue") errors.notSupported(`${at}.type`, type, ["Queue", "Reject"])
  else if (queuing === undefined) {
    errors.required(`${at}.queuing`, "must not be empty if limited.limitResponse.type is Limited")
  } else checkQueuing(errors, queuing, `${at}.queuing`)
  checkLendable(errors, limited.lendablePercent, path)
  const { borrowingLimitPercent } = limited
  if (borrowingLimitPercent !== undefined && borrowingLimitPercent < 0) {
    errors.invalid(
      `${path}.borrowingLimitPercent`,
      borrowingLimitPercent,
      "if specified, must be a non-negative integer"
    )
  }
}

const checkSpec = (errors: ErrorList, name: string, spec: PriorityLevelConfigurationSpec): void => {
  const { exempt, limited, type } = spec
  if ((name === "exempt") !== (type === "Exempt")) {
    errors.invalid("spec.type", typed(type), "must be 'Exempt' if and only if `name` is 'exempt'")
  }
  if (type === "Exempt") {
    if (limited !== undefined) errors.forbidden("spec.limited", "must be nil if the type is not Limited")
    checkShares(errors, exempt?.nominalConcurrencyShares, "spec.exempt")
    checkLendable(errors, exempt?.lendablePercent, "spec.exempt")
  } else if (type === "Limited") {
    if (exempt !== undefined) errors.forbidden("spec.exempt", "must be nil if the type is Limited")
    if (limited === undefined) errors.required("spec.limited", "must not be empty when type is Limited")
    else checkLimited(errors, limited)
  } else errors.notSupported("spec.type", type, ["Exempt", "Limited"])
}

/** Checks the mandatory levels: the shares of `exempt` may change, and nothing of `catch-all`. */
const checkMandatory = (errors: ErrorList, name: string, spec: PriorityLevelConfigurationSpec): void => {
  const fixed = mandatoryPriorityLevels.find(({ metadata }) => metadata.name === name)?.spec
  if (fixed === undefined) return
  if (name === "exempt") {
    const { exempt: _, ...rest } = spec
    const { exempt: _fixed, ...fixedRest } = fixed
    if (semanticEqual(rest, fixedRest)) return
    const message = `spec of '${name}' except the 'spec.exempt' field must equal the fixed value`
    errors.invalid("spec", shownSpec(spec), message)
  } else if (!semanticEqual(spec, fixed)) {
    errors.invalid("spec", shownSpec(spec), `spec of '${name}' must equal the fixed value`)
  }
}

const noSpec: PriorityLevelConfigurationSpec = { type: "" }

const check = (errors: ErrorList, level: PriorityLevelConfiguration): void => {
  validateObjectMeta(errors, level.metadata, { namespaced: false, name: nameIsDNSSubdomain, standardFinalizers: true })
  if (level.metadata?.annotations?.[roundTripAnnotation] !== undefined) {
    errors.forbidden("metadata.annotations", `annotation '${roundTripAnnotation}' is forbidden`)
  }
  const name = level.metadata?.name ?? ""
  const { spec = noSpec } = level
  checkSpec(errors, name, spec)
  checkMandatory(errors, name, spec)
  validateConditions(errors, level.status)
}

export const priorityLevelRules: Validation<PriorityLevelConfiguration> = {
  create: (level) => {
    const errors = new ErrorList()
    check(errors, level)
    return errors.all
  },
  update: (level) => {
    const errors = new ErrorList()
    check(errors, level)
    return errors.all
  },
  updateStatus: (level) => {
    const errors = new ErrorList()
    validateConditions(errors, level.status)
    return errors.all
  }
}
