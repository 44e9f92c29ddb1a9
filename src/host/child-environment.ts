/**
 * The environment of the commands we run: nobody is there to page through output or to answer a prompt, and our own keys stay
 * with us. Keys of other services (GITHUB_TOKEN, NPM_TOKEN, AWS_…) are the project's business and pass.
 */

/** A model vendor's variables begin with its name. */
const MODEL_VENDORS = `
  AIHUBMIX AI_GATEWAY ALIBABA ANTHROPIC ARCEE ARK AZURE_AI AZURE_OPENAI BAILIAN BASETEN BEDROCK BYTEDANCE CEREBRAS CHUTES
  CLAUDE CODESTRAL COHERE COPILOT DASHSCOPE DEEPINFRA DEEPSEEK FIREWORKS FRIENDLI GEMINI GITHUB_COPILOT GITHUB_MODELS GLAMA
  GLM GOOGLE_GENERATIVE GROQ HF HUGGINGFACE HUGGING_FACE HUNYUAN HYPERBOLIC IFLOW INCEPTION INFERENCE KILO KIMI LITELLM LLAMA
  LLAMACPP LM LMSTUDIO LM_STUDIO MINIMAX MISTRAL MODELSCOPE MOONSHOT MORPH NEBIUS NOVITA NVIDIA OLLAMA OPENAI OPENCODE
  OPENROUTER PARASAIL PERPLEXITY POE QWEN REPLICATE REQUESTY ROO SAMBANOVA SILICONFLOW STEPFUN SYNTHETIC TOGETHER TOGETHERAI
  UNBOUND UPSTAGE V0 VENICE VERCEL_AI VERCEL_AI_GATEWAY VERTEX VLLM VOLCENGINE VOYAGE WATSONX XAI ZAI ZENMUX ZHIPU ZHIPUAI
`
  .trim()
  .split(/\s+/)

/** Some people have more than one. */
const FURTHER = "(?:_?\\d+|_(?:BACKUP|FALLBACK|SECONDARY|OLD|NEW|DEV|TEST|STAGING|PROD|PERSONAL|PRIVATE|WORK|TEAM))?"
const MODEL_KEY = new RegExp(`^(?:${MODEL_VENDORS.join("|")})_(?:\\w+_)?(?:KEYS?|APIKEY|TOKEN|SECRET|PASSWORD)${FURTHER}$`, "i")
const OWN = /^(?:JOEY_.*|AZURE_API_KEY|GOOGLE_API_KEY|META_API_KEY|AWS_BEARER_TOKEN_BEDROCK)$/i
/** A start through npm tells these about us, not about the project. Forced colours are noise to a model. */
const MISLEADING =
  /^(?:npm_(?:lifecycle|package|execpath|node_execpath|command|config_local_prefix)|INIT_CWD$|FORCE_COLOR$|CLICOLOR_FORCE$)/
/** They change what a line means, which was judged as it stands. */
const REWRITING =
  /^(?:BASH_ENV|ENV|CDPATH|GREP_OPTIONS|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|PS4|BASH_XTRACEFD|GLOBIGNORE|EXECIGNORE|POSIXLY_CORRECT)$/

const UNATTENDED: Record<string, string> = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  GH_PAGER: "cat",
  MANPAGER: "cat",
  SYSTEMD_PAGER: "cat",
  AWS_PAGER: "",
  GIT_EDITOR: "true",
  GIT_TERMINAL_PROMPT: "0",
  GCM_INTERACTIVE: "never",
  SSH_ASKPASS_REQUIRE: "never",
  DEBIAN_FRONTEND: "noninteractive",
  TERM: "dumb",
  PYTHONUNBUFFERED: "1", // what a killed program printed is not lost in its buffer
}

/** `withheld` names further variables that hold our keys. */
export function childEnvironment(ours: NodeJS.ProcessEnv, withheld: readonly string[] = []): NodeJS.ProcessEnv {
  const theirs: NodeJS.ProcessEnv = {}
  const held = new Set(withheld.map((name) => name.toUpperCase())) // on Windows either case names the same
  for (const [name, value] of Object.entries(ours)) {
    const unwanted = isOurKey(name) || held.has(name.toUpperCase()) || MISLEADING.test(name) || REWRITING.test(name)
    if (!unwanted) theirs[name] = value
  }
  return Object.assign(theirs, UNATTENDED)
}

export function isOurKey(name: string): boolean {
  return OWN.test(name) || MODEL_KEY.test(name)
}
