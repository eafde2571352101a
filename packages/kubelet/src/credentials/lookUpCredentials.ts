import type { Pod, Secret } from "@rollcall/api"
import * as Result from "effect/Result"
import { fullImageName, nameWithoutTag } from "../images/imageName.ts"
import { pullSecrets } from "../references/Reference.ts"
import type { ReferenceReader } from "../references/ReferenceReader.ts"
import type { CredentialProviders } from "./CredentialProviders.ts"
import type { DockerConfig } from "./dockerConfig.ts"
import { Keyring, type TrackedCredentials } from "./Keyring.ts"
import { keyringOf } from "./keyringOf.ts"

type Found = Result.Result<ReadonlyArray<TrackedCredentials>, string>

/** Where credentials come from. */
export interface CredentialSources {
  readonly references: () => ReferenceReader
  /** What the docker config file of the machine has; undefined without one. */
  readonly ofNode: DockerConfig | undefined
  /** Absent without plugins. */
  readonly providers: CredentialProviders | undefined
}

const NONE: Found = Result.succeed([])

const repositoryOf = (image: string): string =>
  Result.getOrElse(Result.flatMap(fullImageName(image), nameWithoutTag), () => image)

/**
 * Looks for the credentials with which a pod's image is pulled: those of its pull secrets, then those of the node, then
 * those of plugins. `done` is called within the call if the pod has no secrets and there are no plugins. Upstream: image_manager.go,
 * makeLookupPullCredentialsFunc.
 */
export const lookUpCredentials = (
  { ofNode, providers, references }: CredentialSources,
  pod: Pod,
  image: string,
  done: (found: Found) => void
): void => {
  const secrets = pullSecrets(pod)
  if (secrets.length === 0 && providers === undefined && ofNode === undefined) {
    done(NONE)
    return
  }
  const repository = repositoryOf(image)
  const withPlugins = (ofSecrets: Keyring) => {
    const nodeKeyring = new Keyring()
    if (ofNode !== undefined) nodeKeyring.add(ofNode)
    const found = [...ofSecrets.lookUp(repository), ...nodeKeyring.lookUp(repository)]
    if (providers === undefined) done(Result.succeed(found))
    else
      providers.provide(repository, pod, (keyring) => done(Result.succeed([...found, ...keyring.lookUp(repository)])))
  }
  references().read(pod.metadata.namespace ?? "", secrets, (answers) => {
    const read = secrets.map(answers).filter((answer): answer is Secret => typeof answer !== "string")
    const keyring = keyringOf(read)
    if (Result.isFailure(keyring)) done(Result.fail(keyring.failure))
    else withPlugins(keyring.success)
  })
}
