import { Inhibitors } from "../src/index.ts"
import { inhibitorsContract } from "../src/testing/index.ts"

inhibitorsContract("modelled", Inhibitors.layerModelled)
