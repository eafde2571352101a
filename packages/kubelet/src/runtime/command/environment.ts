import type { Container, Pod } from "@rollcall/api"
import type { Environment } from "./ShellWorld.ts"

const keyedField = /^metadata\.(labels|annotations)\['(.+)'\]$/

/** Returns the value of a field of the pod for a variable; undefined for a field that is not known at the start. */
export const fieldOf = ({ metadata, spec }: Pod, path: string): string | undefined => {
  const [, map, key = ""] = keyedField.exec(path) ?? []
  if (map === "labels") return metadata.labels?.[key] ?? ""
  if (map === "annotations") return metadata.annotations?.[key] ?? ""
  if (path === "metadata.name") return metadata.name
  if (path === "metadata.namespace") return metadata.namespace
  if (path === "metadata.uid") return metadata.uid
  return path === "spec.nodeName" ? spec.nodeName : undefined
}

/** What variables may add to a text. More counts as unknown: they refer to each other, and can double each time. */
const MAX_ADDED = 64 * 1024

/** Replaces `$(NAME)` by the variable's value. Upstream: third_party/forked/golang/expansion/expand.go. */
const expand = (text: string, environment: Environment): string | undefined => {
  let isKnown = true
  let added = 0
  const expanded = text.replace(/\$\$|\$\(([^)]*)\)/g, (reference, name: string | undefined) => {
    if (name === undefined) return "$"
    if (!environment.has(name)) return reference
    const value = environment.get(name)
    added += value?.length ?? 0
    isKnown &&= value !== undefined && added <= MAX_ADDED
    return isKnown ? (value ?? "") : ""
  })
  return isKnown ? expanded : undefined
}

/** What is known of a container beyond its pod: the values of its references. */
export interface KnownValues {
  readonly base: ReadonlyMap<string, string>
  /** Returns the value of the variable with a source that is no field of the pod. */
  readonly valueFrom: (source: object, variable: string) => string | undefined
}

const unknown: KnownValues = { base: new Map(), valueFrom: () => undefined }

/** Returns the variables of a container. */
export const environmentOf = (
  pod: Pod,
  { env = [] }: Pick<Container, "env">,
  known: KnownValues = unknown
): Environment => {
  const environment = new Map<string, string | undefined>(known.base)
  for (const { name, value, valueFrom } of env) {
    const { fieldRef } = (valueFrom ?? {}) as { readonly fieldRef?: { readonly fieldPath?: string } }
    const given =
      valueFrom === undefined
        ? expand(value ?? "", environment)
        : fieldRef === undefined
          ? known.valueFrom(valueFrom, name)
          : (fieldOf(pod, fieldRef.fieldPath ?? "") ?? known.valueFrom(valueFrom, name))
    environment.set(name, given)
  }
  return environment
}

/** Returns the words of a command with the variables that they refer to; undefined if one is not known. */
export const argvOf = (command: ReadonlyArray<string>, environment: Environment): ReadonlyArray<string> | undefined => {
  const argv: Array<string> = []
  for (const word of command) {
    const expanded = expand(word, environment)
    if (expanded === undefined) return undefined
    argv.push(expanded)
  }
  return argv
}

/** What an image runs: its entrypoint, and the arguments that it has without those of the container. */
interface KnownImage {
  readonly entrypoint: ReadonlyArray<string>
  readonly args: ReadonlyArray<string>
  /** Files that tests look for. */
  readonly files: ReadonlyArray<string>
  /** Whom its processes run as. */
  readonly user: number
  /** The groups of users that it has beside root, by their numbers: the first one, then the others. */
  readonly accounts?: Readonly<Record<number, ReadonlyArray<number>>>
}

/** An image without an entrypoint: the arguments of a container are its command, in the place of a shell. */
const running = (shell: string): KnownImage => ({ entrypoint: [], args: [shell], files: [], user: 0 })

const agnhostFiles = ["/agnhost", "/agnhost-2", "/localhost.crt", "/localhost.key"]

const agnhost: KnownImage = {
  entrypoint: ["/agnhost"],
  args: ["pause"],
  files: agnhostFiles,
  user: 0,
  accounts: { 1000: [1000, 50_000] }
}

/** Images of which it is known what they run. Upstream: test/images/agnhost/Dockerfile, test/images/nonroot/Dockerfile. */
const images = new Map<string, KnownImage>([
  ["agnhost", agnhost],
  ["alpine", running("/bin/sh")],
  ["busybox", running("sh")],
  ["debian", running("bash")],
  ["nonroot", { ...running("/bin/sh"), user: 1234 }],
  ["ubuntu", running("/bin/bash")]
])

/** The end of a reference that names an image of the table, with a tag, a digest or neither. */
const knownImage = new RegExp(`^(?:[^@]*/)?(${[...images.keys()].join("|")})(?::[^/@]*)?(?:@.*)?$`)

const imageOf = (image: string): KnownImage | undefined => images.get(knownImage.exec(image)?.[1] ?? "")

/** Returns the files that a container has of its image, as far as they are known. */
export const filesOfImage = ({ image = "" }: Partial<Container>): ReadonlyArray<string> => imageOf(image)?.files ?? []

/** Whether it is known of a container's image what it runs. */
export const isKnownImage = ({ image = "" }: Partial<Container>): boolean => imageOf(image) !== undefined

/** Whether the shells of a container but `bash` make no words of `{a,b}` and `{1..3}`: those of the known images are ash or dash. */
export const keepsBraces = (container: Partial<Container>): boolean => isKnownImage(container)

/** Returns whom a container runs as by its image; undefined if its image is not known. */
export const userOfImage = ({ image = "" }: Partial<Container>): number | undefined => imageOf(image)?.user

/** Returns the groups that a user has by the container's image; empty if it is not known to have any. */
export const groupsOfImage = ({ image = "" }: Partial<Container>, user: number): ReadonlyArray<number> =>
  imageOf(image)?.accounts?.[user] ?? []

/** Returns what a container runs, as far as its pod or a known image says it; empty if only its image knows. */
export const commandOf = ({ args = [], command = [], image = "" }: Partial<Container>): ReadonlyArray<string> => {
  if (command.length > 0) return [...command, ...args]
  const known = imageOf(image)
  return known === undefined ? [] : [...known.entrypoint, ...(args.length > 0 ? args : known.args)]
}
