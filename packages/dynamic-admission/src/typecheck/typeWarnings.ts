import type { CustomResourceDefinition, ExpressionWarning, ValidatingAdmissionPolicy } from "@rollcall/api"
import type { GroupVersionKind } from "@rollcall/api/wire"
import { AUTHORIZER, type CelType, CompileFault, compile, DYN } from "@rollcall/cel"
import type { Steps } from "@rollcall/time"
import { variablesFor, variablesType } from "../cel/environment.ts"
import { TypeFinder } from "./TypeFinder.ts"

/** Upstream: maxTypesToCheck. */
const MAX_TYPES = 10

type Spec = NonNullable<ValidatingAdmissionPolicy["spec"]>
type Rule = NonNullable<NonNullable<Spec["matchConstraints"]>["resourceRules"]>[number]
type Variables = Readonly<Record<string, CelType>>

const isWild = (text: string) => text.includes("*")

/** Returns what a rule names, sorted; nothing if it names groups or versions by a wildcard. */
const namesOf = ({ apiGroups = [], apiVersions = [], resources = [] }: Rule) => ({
  groups: apiGroups.some(isWild) ? [] : apiGroups.toSorted(),
  versions: apiVersions.some(isWild) ? [] : apiVersions.toSorted(),
  resources: resources.filter((resource) => !/[*/]/.test(resource)).toSorted()
})

const inOrder = (left: GroupVersionKind, right: GroupVersionKind): number => {
  for (const part of ["group", "version", "kind"] as const) {
    if (left[part] !== right[part]) return left[part] < right[part] ? -1 : 1
  }
  return 0
}

/** Returns the kinds that a policy's rules name, each once; a rule with ten of them is the last that counts. */
const kindsToCheck = ({ matchConstraints }: Spec, finder: TypeFinder): ReadonlyArray<GroupVersionKind> => {
  const found = new Map<string, GroupVersionKind>()
  const all = () => [...found.values()].toSorted(inOrder)
  for (const rule of matchConstraints?.resourceRules ?? []) {
    const { groups, resources, versions } = namesOf(rule)
    let count = 0
    for (const group of groups) {
      for (const version of versions) {
        for (const resource of resources) {
          for (const gvk of finder.kindsOf(group, version, resource)) {
            found.set(`${gvk.group}/${gvk.version}/${gvk.kind}`, gvk)
            count++
            if (count === MAX_TYPES) return all()
          }
        }
      }
    }
  }
  return all()
}

const paramsType = ({ paramKind }: Spec, finder: TypeFinder): CelType => {
  if (paramKind === undefined) return DYN
  const { apiVersion = "", kind = "" } = paramKind
  const [group = "", version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion]
  return finder.typeOf({ group, version: version ?? "", kind }) ?? DYN
}

const faultOf = (expression: string, variables: Variables): string | undefined => {
  const compiled = compile(expression, variables, DYN)
  return compiled instanceof CompileFault ? compiled.message : undefined
}

/** Returns the variables of a policy's expressions; a variable with a fault may be anything. */
const environmentOf = function* (spec: Spec, object: CelType, params: CelType): Steps<Variables> {
  const hasParams = spec.paramKind !== undefined
  const known = {
    ...variablesFor({ params: hasParams, authorizer: false }, undefined),
    object,
    oldObject: object,
    ...(hasParams ? { params } : {}),
    authorizer: AUTHORIZER
  }
  const types = new Map<string, CelType>()
  for (const { expression = "", name = "" } of spec.variables ?? []) {
    const compiled = compile(expression, { ...known, variables: variablesType(types) }, DYN)
    types.set(name, compiled instanceof CompileFault ? DYN : compiled.type)
    yield
  }
  return { ...known, variables: variablesType(types) }
}

const shown = ({ group, kind, version }: GroupVersionKind, fault: string): string =>
  `${group}/${version}, Kind=${kind}: ${fault}\n`

const expressionsOf = ({ validations = [] }: Spec) =>
  validations.flatMap(({ expression = "", messageExpression = "" }, index) => {
    const at = `spec.validations[${index}]`
    const message = { fieldRef: `${at}.messageExpression`, expression: messageExpression }
    return [{ fieldRef: `${at}.expression`, expression }, ...(messageExpression === "" ? [] : [message])]
  })

/**
 * Checks the expressions of a policy against the types of the objects that its rules name, and returns what does not
 * suit them; nothing for rules with wildcards. It pauses after each expression. `definitions` are those of custom
 * resources. Upstream: apiserver/pkg/admission/plugin/policy/validating/typechecking.go.
 */
export const typeWarningsInSteps = function* (
  { spec = {} }: ValidatingAdmissionPolicy,
  definitions: ReadonlyArray<CustomResourceDefinition>
): Steps<ReadonlyArray<ExpressionWarning>> {
  const finder = new TypeFinder(definitions)
  const params = paramsType(spec, finder)
  const environments: Array<readonly [GroupVersionKind, Variables]> = []
  for (const gvk of kindsToCheck(spec, finder)) {
    const object = finder.typeOf(gvk)
    if (object !== undefined) environments.push([gvk, yield* environmentOf(spec, object, params)])
  }
  const warnings: Array<ExpressionWarning> = []
  for (const { expression, fieldRef } of expressionsOf(spec)) {
    const faults: Array<string> = []
    for (const [gvk, variables] of environments) {
      const fault = faultOf(expression, variables)
      if (fault !== undefined) faults.push(shown(gvk, fault))
      yield
    }
    if (faults.length > 0) warnings.push({ fieldRef, warning: faults.join("\n") })
  }
  return warnings
}
