"""llm, with the class of its chat models."""

from llm.default_plugins.openai_models import Chat

from llm_kit import serve_class

serve_class(Chat, supports_tools=True)
