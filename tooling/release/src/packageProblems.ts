import { readFileSync } from "node:fs"
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { publint } from "publint"
import { formatMessage } from "publint/utils"

/**
 * Problems of packages that are ES modules alone, and not problems on the releases of Node that they support: resolution without `exports`, as
 * before Node 12, and `require`, which loads ES modules from Node 22 on.
 */
const ACCEPTED = new Set(["NoResolution node10", "CJSResolvesToESM node16-cjs"])

/** What publint and Are The Types Wrong find in a tarball, a line for each. */
export const packageProblems = async (tarball: string): Promise<ReadonlyArray<string>> => {
  const data = readFileSync(tarball)
  const checked = await checkPackage(createPackageFromTarballData(new Uint8Array(data)))
  const wrongTypes = (checked.types === false ? [] : checked.problems)
    .map((problem) => `${problem.kind} ${"resolutionKind" in problem ? problem.resolutionKind : ""}`.trim())
    .filter((problem) => !ACCEPTED.has(problem))
  const tarballData = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength) as ArrayBuffer
  const { messages, pkg } = await publint({ pack: { tarball: tarballData }, strict: true })
  return [...wrongTypes, ...messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code)]
}
