import type { NodeSelectorTerm } from "../objects/Affinity.ts"
import { isValidLabelValue } from "../validation/names.ts"

/** Upstream: pkg/api/node/util.go. */

const deprecatedLabels: Readonly<Record<string, string>> = {
  "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
  "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  "app.kubernetes.io/created-by": "deprecated since v1.9",
  "scheduler.alpha.kubernetes.io/preferAvoidPods": "deprecated since v1.22; use Taints and Tolerations instead",
  "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead'
}

/** Returns what is said of a deprecated node label; undefined for any other. */
export const labelDeprecation = (label: string | undefined): string | undefined =>
  label !== undefined && Object.hasOwn(deprecatedLabels, label) ? deprecatedLabels[label] : undefined

type Expression = { readonly key?: string; readonly values?: ReadonlyArray<string> }

/** Returns the warnings for the labels of expressions. */
export const expressionWarnings = (
  expressions: ReadonlyArray<Expression> = [],
  path: string,
  checksValues = false
): ReadonlyArray<string> =>
  expressions.flatMap(({ key, values = [] }, index) => {
    const deprecation = labelDeprecation(key)
    const about = deprecation === undefined ? [] : [`${path}[${index}].key: ${key} is ${deprecation}`]
    const invalid = checksValues
      ? values.flatMap((value, at) =>
          isValidLabelValue(value).map((why) => `${path}[${index}].values[${at}]: ${value} is invalid, ${why}`)
        )
      : []
    return [...about, ...invalid]
  })

export const nodeTermsWarnings = (terms: ReadonlyArray<NodeSelectorTerm> = [], path: string): ReadonlyArray<string> =>
  terms.flatMap(({ matchExpressions }, index) =>
    expressionWarnings(matchExpressions, `${path}[${index}].matchExpressions`)
  )
