"""LlamaIndex, with the class that it has for servers of OpenAI's shape."""

from llama_index.llms.openai_like import OpenAILike

from jobs import TOOL
from llama_index_kit import serve_chat

serve_chat(lambda url, name: OpenAILike(
    model=name, api_base=url, api_key="none", is_chat_model=True,
    is_function_calling_model=True), TOOL)
