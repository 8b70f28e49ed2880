"""The lines with which a user points each client at the gateway; docs/clients.md shows them."""

# By program.
POINTED = {
    "openai_python": """\
from openai import OpenAI
client = OpenAI(base_url="http://127.0.0.1:8080/v1", api_key="KEY")""",
    "openai_azure": """\
from openai import AzureOpenAI
client = AzureOpenAI(azure_endpoint="http://127.0.0.1:8080", api_key="KEY",
                     api_version="2024-10-21")""",
    "anthropic_python": """\
from anthropic import Anthropic
client = Anthropic(base_url="http://127.0.0.1:8080", api_key="KEY")""",
    "google_python": """\
from google import genai
client = genai.Client(api_key="KEY", http_options={"base_url": "http://127.0.0.1:8080"})""",
    "ollama_python": """\
from ollama import Client
client = Client("http://127.0.0.1:8080", headers={"Authorization": "Bearer KEY"})""",
    "langchain_python": """\
from langchain_openai import ChatOpenAI
chat = ChatOpenAI(base_url="http://127.0.0.1:8080/v1", api_key="KEY", model="MODEL")""",
    "langchain_responses": """\
from langchain_openai import ChatOpenAI
chat = ChatOpenAI(base_url="http://127.0.0.1:8080/v1", api_key="KEY", model="MODEL",
                  use_responses_api=True)""",
    "langchain_claude": """\
from langchain_anthropic import ChatAnthropic
chat = ChatAnthropic(base_url="http://127.0.0.1:8080", api_key="KEY", model="MODEL")""",
    "llama_index_like": """\
from llama_index.llms.openai_like import OpenAILike
llm = OpenAILike(api_base="http://127.0.0.1:8080/v1", api_key="KEY", model="MODEL",
                 is_chat_model=True)""",
    "llama_index_text": """\
from llama_index.llms.openai_like import OpenAILike
llm = OpenAILike(api_base="http://127.0.0.1:8080/v1", api_key="KEY", model="MODEL")""",
    "llama_index_responses": """\
from llama_index.llms.openai import OpenAIResponses
llm = OpenAIResponses(api_base="http://127.0.0.1:8080/v1", api_key="KEY", model="MODEL",
                      context_window=8192)""",
    "litellm_client": """\
import litellm
litellm.completion(api_base="http://127.0.0.1:8080/v1", api_key="KEY",
                   model="openai/MODEL", messages=messages)""",
    "instructor_client": """\
import instructor, openai
client = instructor.from_openai(openai.OpenAI(base_url="http://127.0.0.1:8080/v1", api_key="KEY"))""",
    "openai_agents": """\
from agents import OpenAIProvider, RunConfig
how = RunConfig(model="MODEL", model_provider=OpenAIProvider(
    base_url="http://127.0.0.1:8080/v1", api_key="KEY"))""",
    "openai-chat": """\
import OpenAI from 'openai';
const client = new OpenAI({ baseURL: 'http://127.0.0.1:8080/v1', apiKey: 'KEY' });""",
    "openai-azure": """\
import { AzureOpenAI } from 'openai';
const client = new AzureOpenAI({ endpoint: 'http://127.0.0.1:8080', apiKey: 'KEY',
  apiVersion: '2024-10-21' });""",
    "anthropic": """\
import Anthropic from '@anthropic-ai/sdk';
const client = new Anthropic({ baseURL: 'http://127.0.0.1:8080', apiKey: 'KEY' });""",
    "google": """\
import { GoogleGenAI } from '@google/genai';
const client = new GoogleGenAI({ apiKey: 'KEY', httpOptions: { baseUrl: 'http://127.0.0.1:8080' } });""",
    "ollama": """\
import { Ollama } from 'ollama';
const client = new Ollama({ host: 'http://127.0.0.1:8080', headers: { Authorization: 'Bearer KEY' } });""",
    "langchain": """\
import { ChatOpenAI } from '@langchain/openai';
const chat = new ChatOpenAI({ model: 'MODEL', apiKey: 'KEY',
  configuration: { baseURL: 'http://127.0.0.1:8080/v1' } });""",
    "ai-openai": """\
import { createOpenAI } from '@ai-sdk/openai';
const model = createOpenAI({ baseURL: 'http://127.0.0.1:8080/v1', apiKey: 'KEY' }).chat('MODEL');""",
    "ai-responses": """\
import { createOpenAI } from '@ai-sdk/openai';
const model = createOpenAI({ baseURL: 'http://127.0.0.1:8080/v1', apiKey: 'KEY' })('MODEL');""",
    "ai-anthropic": """\
import { createAnthropic } from '@ai-sdk/anthropic';
const model = createAnthropic({ baseURL: 'http://127.0.0.1:8080/v1', apiKey: 'KEY' })('MODEL');""",
    "ai-google": """\
import { createGoogleGenerativeAI } from '@ai-sdk/google';
const model = createGoogleGenerativeAI({ baseURL: 'http://127.0.0.1:8080/v1beta', apiKey: 'KEY' })('MODEL');""",
    "ai-compatible": """\
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
const model = createOpenAICompatible({
  name: 'parley', baseURL: 'http://127.0.0.1:8080/v1', apiKey: 'KEY' })('MODEL');""",
    "agents-chat": """\
import { OpenAIProvider } from '@openai/agents';
const provider = new OpenAIProvider({ baseURL: 'http://127.0.0.1:8080/v1', apiKey: 'KEY',
  useResponses: false });""",
    "agents-responses": """\
import { OpenAIProvider } from '@openai/agents';
const provider = new OpenAIProvider({ baseURL: 'http://127.0.0.1:8080/v1', apiKey: 'KEY' });""",
    "openai-go": """\
client := openai.NewClient(option.WithBaseURL("http://127.0.0.1:8080/v1"),
    option.WithAPIKey("KEY"))""",
    "OpenAiJava": """\
OpenAIClient client = OpenAIOkHttpClient.builder()
    .baseUrl("http://127.0.0.1:8080/v1").apiKey("KEY").build();""",
    "LangChain4j": """\
ChatModel chat = OpenAiChatModel.builder()
    .baseUrl("http://127.0.0.1:8080/v1").apiKey("KEY").modelName("MODEL").build();""",
}
POINTED["openai_responses"] = POINTED["openai_python"]
POINTED["openai-responses"] = POINTED["openai-chat"]
for program, more in (("llm_client", ""), ("llm_text", ", completion: true"),
                      ("llm_responses", ", responses: true")):
    POINTED[program] = f"""\
# llm keys set parley --value KEY
# extra-openai-models.yaml, in the folder that `dirname "$(llm logs path)"` shows
- {{model_id: MODEL, model_name: MODEL, api_base: "http://127.0.0.1:8080/v1",
   api_key_name: parley{more}}}"""
