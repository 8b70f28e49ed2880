"""LlamaIndex, with its class for OpenAI's responses."""

from llama_index.llms.openai import OpenAIResponses

from jobs import FUNCTION
from llama_index_kit import serve_chat

serve_chat(lambda url, name: OpenAIResponses(
    model=name, api_base=url, api_key="none", context_window=8192), FUNCTION)
