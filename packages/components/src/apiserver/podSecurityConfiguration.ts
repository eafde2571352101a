import { isDNS1123Label, isDNS1123Subdomain } from "@rollcall/api/validation"
import { checkStrictly, InvalidInput, type Problem, problemAt, Texts } from "@rollcall/input"
import { type Configuration, type Exemptions, type Policy, parseVersion } from "@rollcall/pod-security"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const LevelText = Schema.Literals(["privileged", "baseline", "restricted"])
const VersionText = Schema.String.check(
  Schema.makeFilter((text: string) => parseVersion(text) !== undefined, {
    expected: "latest, or a minor release such as v1.30"
  })
)

const checkConfiguration = checkStrictly(
  Schema.Struct({
    apiVersion: Schema.Literals([
      "pod-security.admission.config.k8s.io/v1",
      "pod-security.admission.config.k8s.io/v1beta1",
      "pod-security.admission.config.k8s.io/v1alpha1"
    ]),
    kind: Schema.Literal("PodSecurityConfiguration"),
    defaults: Schema.optionalKey(
      Schema.Struct({
        enforce: Schema.optionalKey(LevelText),
        "enforce-version": Schema.optionalKey(VersionText),
        audit: Schema.optionalKey(LevelText),
        "audit-version": Schema.optionalKey(VersionText),
        warn: Schema.optionalKey(LevelText),
        "warn-version": Schema.optionalKey(VersionText)
      })
    ),
    exemptions: Schema.optionalKey(
      Schema.Struct({
        usernames: Schema.optionalKey(Texts),
        namespaces: Schema.optionalKey(Texts),
        runtimeClasses: Schema.optionalKey(Texts)
      })
    )
  })
)

/** The rule of each list of exempt names. Upstream: k8s.io/pod-security-admission/admission/api/validation. */
const nameRules: Readonly<Record<keyof Exemptions, (name: string) => ReadonlyArray<string>>> = {
  namespaces: isDNS1123Label,
  runtimeClasses: isDNS1123Subdomain,
  usernames: (name) => (name === "" ? ["username must not be empty"] : [])
}

const exemptionProblems = (exemptions: Exemptions, file: string, base: string): ReadonlyArray<Problem> =>
  (Object.keys(nameRules) as ReadonlyArray<keyof Exemptions>).flatMap((list) =>
    exemptions[list].flatMap((name, index, names) => {
      const [fault] = nameRules[list](name)
      const wrong = fault ?? (names.indexOf(name) < index ? `found ${JSON.stringify(name)} twice` : undefined)
      return wrong === undefined ? [] : [problemAt(file, `${base}exemptions.${list}[${index}]`, wrong)]
    })
  )

/** Returns the value without empty fields, which have their defaults. */
const withoutEmpty = (value: unknown): unknown =>
  typeof value !== "object" || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(
        Object.entries(value).flatMap(([key, field]) =>
          field === "" || field === null ? [] : [[key, withoutEmpty(field)]]
        )
      )

/**
 * Reads the configuration of the admission plugin PodSecurity; `base` is its path in the file. Upstream:
 * k8s.io/pod-security-admission/admission/api.
 */
export const podSecurityConfiguration = (
  file: string,
  value: unknown,
  base = ""
): Result.Result<Configuration, InvalidInput> =>
  Result.flatMap(checkConfiguration(file, withoutEmpty(value), base), ({ defaults = {}, exemptions = {} }) => {
    const levelOf = (mode: keyof Policy) => ({
      level: defaults[mode] ?? "privileged",
      version: parseVersion(defaults[`${mode}-version`] ?? "latest") ?? ("latest" as const)
    })
    const { namespaces = [], runtimeClasses = [], usernames = [] } = exemptions
    const configuration: Configuration = {
      defaults: { enforce: levelOf("enforce"), audit: levelOf("audit"), warn: levelOf("warn") },
      exemptions: { namespaces, runtimeClasses, usernames }
    }
    const problems = exemptionProblems(configuration.exemptions, file, base === "" ? "" : `${base}.`)
    return problems.length === 0 ? Result.succeed(configuration) : Result.fail(new InvalidInput({ problems }))
  })
