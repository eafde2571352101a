import { fileURLToPath } from "node:url"
import * as fc from "fast-check"
import { repeated, reporter } from "./tooling/check/src/repeatProperties.ts"

fc.configureGlobal({ ...repeated(process.env), reporter: reporter(fileURLToPath(new URL(".", import.meta.url))) })
