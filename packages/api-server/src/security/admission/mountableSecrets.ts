import type { Pod, ServiceAccount } from "@rollcall/api"

/*
 * The Secrets that pods of a service account may use, where its annotation limits them to those that it lists. Upstream:
 * plugin/pkg/admission/serviceaccount/admission.go, limitSecretReferences and limitEphemeralContainerSecretReferences.
 */

const annotation = "kubernetes.io/enforce-mountable-secrets"
/** Upstream: Go's strconv.ParseBool. */
const trueTexts: ReadonlyArray<string> = ["1", "t", "T", "TRUE", "true", "True"]

interface Named {
  readonly name?: string | undefined
}

/** The parts of a container that name Secrets. */
interface References extends Named {
  readonly env?: ReadonlyArray<Named & { readonly valueFrom?: unknown }> | undefined
  readonly envFrom?: ReadonlyArray<unknown> | undefined
}

const namesOf = (references: ReadonlyArray<Named> | undefined): ReadonlySet<string> =>
  new Set(references?.map(({ name = "" }) => name))

const referenceIn = (source: unknown, field: "secretKeyRef" | "secretRef"): Named | undefined =>
  (source as Readonly<Partial<Record<typeof field, Named>>> | undefined)?.[field]

export const limitsSecrets = ({ metadata }: ServiceAccount): boolean =>
  trueTexts.includes(metadata.annotations?.[annotation] ?? "")

const ofContainer = (what: string, { env, envFrom, name }: References, mountable: ReadonlySet<string>) => {
  for (const variable of env ?? []) {
    const reference = referenceIn(variable.valueFrom, "secretKeyRef")
    if (reference !== undefined && !mountable.has(reference.name ?? ""))
      return `${what} ${name} with envVar ${variable.name} referencing secret.secretName="${reference.name ?? ""}"`
  }
  for (const source of envFrom ?? []) {
    const reference = referenceIn(source, "secretRef")
    if (reference !== undefined && !mountable.has(reference.name ?? ""))
      return `${what} ${name} with envFrom referencing secret.secretName="${reference.name ?? ""}"`
  }
  return undefined
}

const firstOf = (what: string, containers: ReadonlyArray<References> | undefined, mountable: ReadonlySet<string>) => {
  for (const container of containers ?? []) {
    const found = ofContainer(what, container, mountable)
    if (found !== undefined) return found
  }
  return undefined
}

const refusal = (account: ServiceAccount, found: string | undefined, what: string): string | undefined =>
  found && `${found} is not allowed because service account ${account.metadata.name} does not reference that ${what}`

/** Returns why a new pod may not use the Secrets that it names, or undefined. */
export const unmountableSecret = ({ spec }: Pod, account: ServiceAccount): string | undefined => {
  const mountable = namesOf(account.secrets)
  const volume = spec.volumes?.find(({ secret }) => secret !== undefined && !mountable.has(secret.secretName ?? ""))
  const pullable = namesOf(account.imagePullSecrets)
  const pull = spec.imagePullSecrets?.findIndex(({ name = "" }) => !pullable.has(name)) ?? -1
  return (
    refusal(account, volume && `volume with secret.secretName="${volume.secret?.secretName ?? ""}"`, "secret") ??
    refusal(
      account,
      firstOf("init container", spec.initContainers, mountable) ?? firstOf("container", spec.containers, mountable),
      "secret"
    ) ??
    refusal(
      account,
      pull < 0 ? undefined : `imagePullSecrets[${pull}].name="${spec.imagePullSecrets?.[pull]?.name ?? ""}"`,
      "imagePullSecret"
    )
  )
}

/** Returns why the ephemeral containers of a pod may not use the Secrets that they name, or undefined. */
export const unmountableEphemeralSecret = ({ spec }: Pod, account: ServiceAccount): string | undefined =>
  refusal(account, firstOf("ephemeral container", spec.ephemeralContainers, namesOf(account.secrets)), "secret")
